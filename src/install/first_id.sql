-- Sets the mark above all ids that this server has generated, also by an earlier installation of the extension in this database.
SELECT gen_ulid();
