"""Records as text, HTML, SVG and mermaid."""
