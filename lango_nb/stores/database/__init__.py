"""What a store in a database writes and reads, in SQL that SQLite and PostgreSQL take; ``sql.py`` carries it out."""
