-- Sets the mark above all ids that this server has generated, also before the extension was last dropped from this database.
SELECT gen_ulid();
