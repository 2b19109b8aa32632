// ids with pgx (4; for 5 only the import differs). PGHOST, PGDATABASE ... say which server and database.

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
)

var ctx = context.Background()

// ---- How to ----

// An id is a string. A list of them needs a cast from text[]: $1::text[]::ulid[].
// CopyFrom sends the strings in binary format, which the server accepts as well.

type Item struct {
	Id, Name string
	Customer *string
}

func one(connection *pgx.Conn, sql string, parameters ...interface{}) (result string) {
	check(connection.QueryRow(ctx, sql, parameters...).Scan(&result))
	return
}

func all(connection *pgx.Conn, sql string, parameters ...interface{}) (results []string) {
	rows, err := connection.Query(ctx, sql, parameters...)
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

func exec(connection *pgx.Conn, sql string, parameters ...interface{}) {
	_, err := connection.Exec(ctx, sql, parameters...)
	check(err)
}

func main() {
	connection, err := pgx.Connect(ctx, "")
	check(err)
	exec(connection, "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)")
	exec(connection, "CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])")

	// The server makes the id; RETURNING fetches it.
	customer := one(connection, "INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
	first := one(connection, "INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id", "first", customer)
	second := one(connection, "INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id", "second", nil)

	// By id, as a string or as its bytes, and by several ids.
	found := one(connection, "SELECT name FROM item WHERE id = $1", second)
	bytes := []byte{}
	check(connection.QueryRow(ctx, "SELECT id::bytea FROM item WHERE id = $1", second).Scan(&bytes))
	byBytes := one(connection, "SELECT name FROM item WHERE id = $1::bytea::ulid", bytes)
	exec(connection, "UPDATE item SET related = $1::text[]::ulid[] WHERE id = $2", []string{first, second}, first)
	var related []string
	check(connection.QueryRow(ctx, "SELECT related::text[] FROM item WHERE id = $1", first).Scan(&related))
	both := all(connection, "SELECT id FROM item WHERE id = ANY ($1::text[]::ulid[]) ORDER BY id", []string{second, first})
	var nobody *string
	check(connection.QueryRow(ctx, "SELECT customer FROM item WHERE id = $1", second).Scan(&nobody))

	// Many at once, by COPY.
	copied, err := connection.CopyFrom(ctx, pgx.Identifier{"item"}, []string{"id", "name", "customer"}, pgx.CopyFromRows([][]interface{}{
		{"01AN4Z07BY79KA1307SR9X4MV3", "copied", customer}, {"01AN4Z07BY79KA1307SR9X4MV4", "copied", nil}}))
	check(err)

	// The rows of a time range, and the page after an id.
	june, july := time.Date(2016, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2016, 7, 1, 0, 0, 0, 0, time.UTC)
	after := all(connection, "SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", july)
	within := all(connection, "SELECT id FROM item WHERE id <@ tstzrange($1, $2) ORDER BY id", june, july)
	var made time.Time
	check(connection.QueryRow(ctx, "SELECT $1::ulid::timestamptz", within[0]).Scan(&made))
	page := all(connection, "SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2", within[1])

	// ---- Expected results ----

	expect(len(first), 26)
	expect(first < second, true)
	expect(found, "second")
	expect(byBytes, "second")
	expect(related, []string{first, second})
	expect(both, []string{first, second})
	expect(nobody == nil, true)
	expect(copied, int64(2))
	expect(after, []string{"first", "second"})
	expect(within, []string{"01AN4Z07BY79KA1307SR9X4MV3", "01AN4Z07BY79KA1307SR9X4MV4"})
	expect(made.Equal(time.Date(2016, 6, 13, 13, 25, 20, 894000000, time.UTC)), true)
	expect(page, []string{"first", "second"})
	expect(one(connection, "SELECT name FROM item WHERE customer = $1 AND id > $2", customer, within[1]), "first")

	for _, bad := range []string{"01AN4Z07BY79KA1307SR9X4MVU", "x"} {
		var state interface{ SQLState() string }
		_, err = connection.Exec(ctx, "SELECT name FROM item WHERE id = $1", bad)
		expect(errors.As(err, &state) && state.SQLState() == "22P02", true)
	}

	fmt.Println(strings.Replace(reflect.TypeOf(*connection).PkgPath(), "github.com/jackc/", "", 1))
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
