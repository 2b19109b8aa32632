// ids with GORM 2. PGHOST, PGDATABASE ... say which server and database.

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"reflect"
	"strings"
	"time"

	"github.com/lib/pq"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// ---- How to ----

// An id is a string, or a pointer to a string if it may be NULL; a list of ids is a pq.StringArray. The tags are for AutoMigrate;
// because of the default the server makes the id, which GORM fetches by RETURNING.

type Customer struct {
	ID   string `gorm:"type:ulid;default:gen_ulid()"`
	Name string
}

type Item struct {
	ID         string `gorm:"type:ulid;default:gen_ulid()"`
	Name       string
	CustomerID *string `gorm:"type:ulid"`
	Customer   *Customer
	Related    pq.StringArray `gorm:"type:ulid[]"`
}

// The statements that change a table.
type changes struct {
	logger.Interface
	made []string
}

func (c *changes) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	if sql, _ := statement(); strings.HasPrefix(sql, "ALTER") {
		c.made = append(c.made, sql)
	}
}

func main() {
	db, err := gorm.Open(postgres.Open(""), &gorm.Config{Logger: logger.Discard, TranslateError: true})
	check(err)
	check(db.AutoMigrate(&Customer{}, &Item{}))
	again := changes{Interface: logger.Discard}
	check(db.Session(&gorm.Session{Logger: &again}).AutoMigrate(&Customer{}, &Item{}))

	first := Item{Name: "first", Customer: &Customer{Name: "Ada"}}
	check(db.Create(&first).Error)
	items := []Item{{Name: "second", Related: pq.StringArray{first.ID}}, {Name: "third"}}
	check(db.Create(&items).Error)
	second := items[0]
	check(db.Create(&Item{ID: "01AN4Z07BY79KA1307SR9X4MV3", Name: "given"}).Error)

	// By id, for which a string needs "id = ?", and by several ids.
	var one, reloaded Item
	check(db.First(&one, "id = ?", second.ID).Error)
	check(db.Preload("Customer").First(&reloaded, "id = ?", first.ID).Error)
	names := func(tx *gorm.DB) (result []string) {
		check(tx.Model(&Item{}).Order("items.id").Pluck("items.name", &result).Error)
		return
	}
	both := names(db.Where("id IN ?", []string{second.ID, first.ID}))
	any := names(db.Where("id = ANY (?)", pq.StringArray{second.ID, first.ID}))
	relating := names(db.Where("related @> ?", pq.StringArray{first.ID}))
	joined := names(db.InnerJoins("Customer").Where("items.id >= ?", first.ID))

	// The rows of a time range, and the page after an id.
	june, july := time.Date(2016, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2016, 7, 1, 0, 0, 0, 0, time.UTC)
	after := names(db.Where("id >= ulid_first(?)", july))
	within := names(db.Where("id <@ tstzrange(?, ?)", june, july))
	var made time.Time
	check(db.Raw("SELECT ?::ulid::timestamptz", "01AN4Z07BY79KA1307SR9X4MV3").Scan(&made).Error)
	page := names(db.Where("id > ?", first.ID).Limit(1))

	// ---- Expected results ----

	expect(again.made, []string(nil))
	expect(len(first.ID), 26)
	expect(first.ID < second.ID && second.ID < items[1].ID, true)
	expect(one, second)
	expect(reloaded, first)
	expect(both, []string{"first", "second"})
	expect(any, both)
	expect(relating, []string{"second"})
	expect(joined, []string{"first"})
	expect(after, []string{"first", "second", "third"})
	expect(within, []string{"given"})
	expect(made.Equal(time.Date(2016, 6, 13, 13, 25, 20, 894000000, time.UTC)), true)
	expect(page, []string{"second"})

	var state interface{ SQLState() string }
	err = db.First(&Item{}, "id = ?", "01AN4Z07BY79KA1307SR9X4MVU").Error
	expect(errors.As(err, &state) && state.SQLState() == "22P02", true)
	expect(errors.Is(db.Create(&Item{CustomerID: &first.ID}).Error, gorm.ErrForeignKeyViolated), true)

	fmt.Println("GORM", strings.TrimPrefix(reflect.TypeOf(*db).PkgPath(), "gorm.io/"))
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
