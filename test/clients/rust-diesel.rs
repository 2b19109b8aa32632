// ids with Diesel. PGHOST, PGDATABASE ... say which server and database.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::connection::SimpleConnection;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Bool, Text, Timestamptz};
use std::io::Write;

// ---- How to ----

// The type in SQL, and in Rust as its 16 bytes, because Diesel sends and receives everything in binary.
// The other types work alike, with 20, 10 and 8 bytes.
mod sql_types {
    #[derive(diesel::sql_types::SqlType, diesel::query_builder::QueryId)]
    #[diesel(postgres_type(name = "ulid"))]
    pub struct Ulid;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = sql_types::Ulid)]
struct Ulid([u8; 16]);

impl FromSql<sql_types::Ulid, Pg> for Ulid {
    fn from_sql(value: PgValue) -> deserialize::Result<Self> {
        Ok(Ulid(value.as_bytes().try_into()?))
    }
}

impl ToSql<sql_types::Ulid, Pg> for Ulid {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&self.0)?;
        Ok(IsNull::No)
    }
}

diesel::define_sql_function! { fn ulid_first(time: Timestamptz) -> sql_types::Ulid; }

diesel::table! {
    customer (id) {
        id -> crate::sql_types::Ulid,
        name -> Text,
    }
}

diesel::table! {
    item (id) {
        id -> crate::sql_types::Ulid,
        name -> Text,
        customer_id -> Nullable<crate::sql_types::Ulid>,
        related -> Nullable<Array<crate::sql_types::Ulid>>,
    }
}

diesel::joinable!(item -> customer (customer_id));
diesel::allow_tables_to_appear_in_same_query!(item, customer);

#[derive(Debug, PartialEq, Queryable, Selectable, Identifiable)]
#[diesel(table_name = item)]
struct Item {
    id: Ulid,
    name: String,
    customer_id: Option<Ulid>,
    related: Option<Vec<Ulid>>,
}

// The server makes the id.
#[derive(Insertable)]
#[diesel(table_name = item)]
struct NewItem {
    name: &'static str,
    customer_id: Option<Ulid>,
}

fn main() -> Result<(), Error> {
    let db = &mut PgConnection::establish("").unwrap();
    db.batch_execute(
        "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text NOT NULL);
         CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text NOT NULL, customer_id ulid REFERENCES customer, related ulid[])",
    )?;
    let ada: Ulid = diesel::insert_into(customer::table).values(customer::name.eq("Ada")).returning(customer::id).get_result(db)?;
    let new = [NewItem { name: "first", customer_id: Some(ada) }, NewItem { name: "second", customer_id: None }];
    let made: Vec<Item> = diesel::insert_into(item::table).values(&new).get_results(db)?;
    let (first, second) = (made[0].id, made[1].id);

    // By id, by several ids, by the ids in an array, and with the customer.
    let one: Item = item::table.find(second).first(db)?;
    diesel::update(item::table.find(first)).set(item::related.eq(vec![first, second])).execute(db)?;
    let both: Vec<Item> = item::table.filter(item::id.eq_any([second, first])).order(item::id).load(db)?;
    let relating: Vec<String> = item::table.filter(item::related.contains(vec![second])).select(item::name).load(db)?;
    let customers: Vec<(String, String)> = item::table.inner_join(customer::table).select((item::name, customer::name)).load(db)?;

    // As text.
    let read = diesel::dsl::sql::<sql_types::Ulid>;
    let given: Ulid = diesel::select(read("").bind::<Text, _>("01AN4Z07BY79KA1307SR9X4MV3").sql("::ulid")).get_result(db)?;
    let text: String = diesel::select(diesel::dsl::sql::<Text>("").bind::<sql_types::Ulid, _>(given).sql("::text")).get_result(db)?;
    diesel::insert_into(item::table).values((item::id.eq(given), item::name.eq("given"))).execute(db)?;

    // The rows of a time range, and the page after an id.
    let june: DateTime<Utc> = "2016-06-01T00:00:00Z".parse().unwrap();
    let july: DateTime<Utc> = "2016-07-01T00:00:00Z".parse().unwrap();
    let after: Vec<String> = item::table.filter(item::id.ge(ulid_first(july))).order(item::id).select(item::name).load(db)?;
    let range = diesel::dsl::sql::<Bool>("item.id <@ tstzrange(").bind::<Timestamptz, _>(june).sql(", ").bind::<Timestamptz, _>(july).sql(")");
    let time = diesel::dsl::sql::<Timestamptz>("item.id::timestamptz");
    let within: Vec<(String, DateTime<Utc>)> = item::table.filter(range).select((item::name, time)).load(db)?;
    let page: Vec<String> = item::table.filter(item::id.gt(first)).order(item::id).limit(2).select(item::name).load(db)?;

    // ---- Expected results ----

    assert!(first < second);
    assert_eq!(one, made[1]);
    assert_eq!(both[0], Item { id: first, name: "first".into(), customer_id: Some(ada), related: Some(vec![first, second]) });
    assert_eq!(both[1..], made[1..]);
    assert_eq!(relating, ["first"]);
    assert_eq!(customers, [("first".to_string(), "Ada".to_string())]);
    assert_eq!(text, "01AN4Z07BY79KA1307SR9X4MV3");
    assert_eq!(after, ["first", "second"]);
    assert_eq!(within, [("given".to_string(), DateTime::UNIX_EPOCH + TimeDelta::milliseconds(1465824320894))]);
    assert_eq!(page, ["second"]);

    let bad = diesel::select(read("'01AN4Z07BY79KA1307SR9X4MVU'::ulid")).get_result::<Ulid>(db);
    assert!(bad.unwrap_err().to_string().starts_with("invalid input syntax for type ulid"));
    let nobody = diesel::insert_into(item::table).values(NewItem { name: "", customer_id: Some(first) }).execute(db);
    assert!(matches!(nobody, Err(Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _))));

    println!("Diesel");
    Ok(())
}
