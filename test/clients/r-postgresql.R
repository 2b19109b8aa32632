# ids with DBI and RPostgreSQL. PGHOST, PGDATABASE ... say which server and database.

suppressMessages(library(RPostgreSQL))

# ---- How to ----

# An id is a string. Select id::text, or RPostgreSQL warns that it does not know the type. Send a list as the text of an array.
db <- do.call(dbConnect, c(PostgreSQL(), as.list(setNames(
  Sys.getenv(c("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE")), c("host", "port", "user", "password", "dbname")))))
query <- function(sql, ...) if (...length()) dbGetQuery(db, sql, list(...)) else dbGetQuery(db, sql)
ids <- function(ids) paste0("{", paste(ids, collapse = ","), "}")

for (sql in c("CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)",
              "CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])")) {
  invisible(dbExecute(db, sql))
}

# The server makes the id; RETURNING fetches it.
ada <- query("INSERT INTO customer (name) VALUES ('Ada') RETURNING id::text")$id
first <- query("INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id::text", "first", ada)$id
second <- query("INSERT INTO item (name, related) VALUES ($1, $2) RETURNING id::text", "second", ids(first))$id

# A data frame.
frame <- data.frame(id = "01AN4Z07BY79KA1307SR9X4MV3", name = "given", customer = ada)
invisible(dbWriteTable(db, "item", frame, append = TRUE, row.names = FALSE))

# By id, and by several ids.
one <- query("SELECT name FROM item WHERE id = $1", second)
both <- query("SELECT id::text, customer::text, related::text FROM item WHERE id = ANY ($1) ORDER BY id", ids(c(second, first)))

# The rows of a time range, and the page after an id.
june <- "2016-06-01 00:00Z"
july <- "2016-07-01 00:00Z"
after <- query("SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", july)
within <- query("SELECT name, id::timestamptz AS time FROM item WHERE id <@ tstzrange($1, $2)", june, july)
page <- query("SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 1", first)

# ---- Expected results ----

stopifnot(
  nchar(first) == 26, first < second,
  one$name == "second",
  both$id == c(first, second), identical(both$customer, c(ada, NA)), identical(both$related, c(NA, ids(first))),
  after$name == c("first", "second"),
  within$name == "given", abs(as.numeric(within$time) - 1465824320.894) < 0.001,
  page$name == "second")

# An error is printed, and becomes a warning and NULL.
options(show.error.messages = FALSE)
for (failing in c("SELECT name FROM item WHERE id = '01AN4Z07BY79KA1307SR9X4MVU'", paste0("INSERT INTO item (customer) VALUES ('", first, "')"))) {
  stopifnot(grepl("Could not create execute", tryCatch(query(failing), warning = conditionMessage)))
}

cat("RPostgreSQL", as.character(packageVersion("RPostgreSQL")))
