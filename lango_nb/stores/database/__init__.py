"""What the store in a database writes and reads, in SQL that SQLite and PostgreSQL both take; ``sql.py`` carries it out."""
