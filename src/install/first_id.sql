-- Sets the mark, above all that this server has generated, also for an extension that the database had before.
SELECT gen_ulid();
