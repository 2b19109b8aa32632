// ids with lib/pq, by database/sql. PGHOST, PGDATABASE ... say which server and database.

package main

import (
	"database/sql"
	"errors"
	"fmt"
	"log"
	"reflect"
	"time"

	"github.com/lib/pq"
)

// ---- How to ----

// An id is a string, or an sql.NullString if it may be NULL. pq.Array sends and reads a list of ids.

func one(db *sql.DB, query string, parameters ...interface{}) (result string) {
	check(db.QueryRow(query, parameters...).Scan(&result))
	return
}

func all(db *sql.DB, query string, parameters ...interface{}) (results []string) {
	rows, err := db.Query(query, parameters...)
	check(err)
	defer rows.Close()
	for rows.Next() {
		var result string
		check(rows.Scan(&result))
		results = append(results, result)
	}
	check(rows.Err())
	return
}

func exec(db *sql.DB, query string, parameters ...interface{}) {
	_, err := db.Exec(query, parameters...)
	check(err)
}

func main() {
	db, err := sql.Open("postgres", "sslmode=disable")
	check(err)
	exec(db, "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)")
	exec(db, "CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])")

	// The server makes the id; RETURNING fetches it.
	customer := one(db, "INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
	first := one(db, "INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id", "first", customer)
	second := one(db, "INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id", "second", nil)

	// By id, as a string or as its bytes, and by several ids.
	found := one(db, "SELECT name FROM item WHERE id = $1", second)
	var bytes []byte
	check(db.QueryRow("SELECT id::bytea FROM item WHERE id = $1", second).Scan(&bytes))
	byBytes := one(db, "SELECT name FROM item WHERE id = $1::bytea::ulid", bytes)
	exec(db, "UPDATE item SET related = $1 WHERE id = $2", pq.Array([]string{first, second}), first)
	var related []string
	check(db.QueryRow("SELECT related FROM item WHERE id = $1", first).Scan(pq.Array(&related)))
	both := all(db, "SELECT id FROM item WHERE id = ANY ($1) ORDER BY id", pq.Array([]string{second, first}))
	var nobody sql.NullString
	check(db.QueryRow("SELECT customer FROM item WHERE id = $1", second).Scan(&nobody))

	// Many at once, by COPY.
	transaction, err := db.Begin()
	check(err)
	copying, err := transaction.Prepare(pq.CopyIn("item", "id", "name", "customer"))
	check(err)
	for _, id := range []string{"01AN4Z07BY79KA1307SR9X4MV3", "01AN4Z07BY79KA1307SR9X4MV4"} {
		_, err = copying.Exec(id, "copied", customer)
		check(err)
	}
	_, err = copying.Exec()
	check(err)
	check(copying.Close())
	check(transaction.Commit())

	// The rows of a time range, and the page after an id.
	june, july := time.Date(2016, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2016, 7, 1, 0, 0, 0, 0, time.UTC)
	after := all(db, "SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", july)
	within := all(db, "SELECT id FROM item WHERE id <@ tstzrange($1, $2) ORDER BY id", june, july)
	var made time.Time
	check(db.QueryRow("SELECT $1::ulid::timestamptz", within[0]).Scan(&made))
	page := all(db, "SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2", within[1])

	// ---- Expected results ----

	expect(len(first), 26)
	expect(first < second, true)
	expect([]string{found, byBytes}, []string{"second", "second"})
	expect(related, []string{first, second})
	expect(both, []string{first, second})
	expect(nobody.Valid, false)
	expect(after, []string{"first", "second"})
	expect(within, []string{"01AN4Z07BY79KA1307SR9X4MV3", "01AN4Z07BY79KA1307SR9X4MV4"})
	expect(made.Equal(time.Date(2016, 6, 13, 13, 25, 20, 894000000, time.UTC)), true)
	expect(page, []string{"first", "second"})

	for _, bad := range []string{"01AN4Z07BY79KA1307SR9X4MVU", "x"} {
		var state *pq.Error
		_, err = db.Exec("SELECT name FROM item WHERE id = $1", bad)
		expect(errors.As(err, &state) && state.Code == "22P02", true)
	}
	_, err = db.Exec("INSERT INTO item (customer) VALUES ($1)", first)
	expect(err.(*pq.Error).Code.Name(), "foreign_key_violation")

	fmt.Println("lib/pq")
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		panic(err)
	}
}

func expect(got, wanted interface{}) {
	if !reflect.DeepEqual(got, wanted) {
		panic(fmt.Sprint("got ", got, " instead of ", wanted))
	}
}
