"""Where bytes go: one protocol for rows, and stores in memory, in journalled files, and in an SQL database."""
