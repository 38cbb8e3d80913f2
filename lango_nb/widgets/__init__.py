"""Documents that can be acted on: the third back end, and the panels that are made of it. ipywidgets loads here."""
