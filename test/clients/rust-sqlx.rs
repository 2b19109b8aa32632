// ids with SQLx. DATABASE_URL says which server and database, because the macros that check SQL at compile time read it.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::postgres::{PgHasArrayType, PgTypeInfo};
use sqlx::{query, query_as, query_scalar, FromRow, PgPool};

// ---- How to ----

// A ulid as its 16 bytes, because SQLx sends and receives everything in binary. The other types work alike, with 20, 10 and 8 bytes.
// The server converts text: SELECT $1::text::ulid, and SELECT id::text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "ulid")]
struct Ulid([u8; 16]);

impl PgHasArrayType for Ulid {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::array_of("ulid")
    }
}

#[derive(Debug, PartialEq, FromRow)]
struct Item {
    id: Ulid,
    name: String,
    customer: Option<Ulid>,
    related: Option<Vec<Ulid>>,
}

#[tokio::main]
async fn main() -> Result<(), sqlx::Error> {
    let db = PgPool::connect(&std::env::var("DATABASE_URL").unwrap()).await?;
    query("CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)").execute(&db).await?;
    query("CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])")
        .execute(&db)
        .await?;

    // The server makes the id; RETURNING fetches it.
    let customer: Ulid = query_scalar("INSERT INTO customer (name) VALUES ('Ada') RETURNING id").fetch_one(&db).await?;
    let insert = "INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id";
    let first: Ulid = query_scalar(insert).bind("first").bind(customer).fetch_one(&db).await?;
    let second: Ulid = query_scalar(insert).bind("second").bind(None::<Ulid>).fetch_one(&db).await?;

    // By id, and by several ids.
    let one: String = query_scalar("SELECT name FROM item WHERE id = $1").bind(second).fetch_one(&db).await?;
    query("UPDATE item SET related = $1 WHERE id = $2").bind([first, second]).bind(first).execute(&db).await?;
    let both: Vec<Item> = query_as("SELECT * FROM item WHERE id = ANY ($1) ORDER BY id").bind([second, first]).fetch_all(&db).await?;

    // As text.
    let given: Ulid = query_scalar("SELECT $1::text::ulid").bind("01AN4Z07BY79KA1307SR9X4MV3").fetch_one(&db).await?;
    let text: String = query_scalar("SELECT $1::ulid::text").bind(given).fetch_one(&db).await?;

    // The macros need the Rust type of a column and of a parameter.
    let checked = sqlx::query!(r#"SELECT gen_ulid() AS "made!: Ulid", $1::ulid AS "same!: Ulid""#, first as Ulid).fetch_one(&db).await?;

    // Many at once, from arrays.
    query("INSERT INTO item (id, name) SELECT * FROM unnest($1::ulid[], $2::text[])")
        .bind([given])
        .bind(["given"])
        .execute(&db)
        .await?;

    // The rows of a time range, and the page after an id.
    let june: DateTime<Utc> = "2016-06-01T00:00:00Z".parse().unwrap();
    let july: DateTime<Utc> = "2016-07-01T00:00:00Z".parse().unwrap();
    let after: Vec<String> =
        query_scalar("SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id").bind(july).fetch_all(&db).await?;
    let within: Vec<(String, DateTime<Utc>)> =
        query_as("SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange($1, $2)").bind(june).bind(july).fetch_all(&db).await?;
    let page: Vec<String> =
        query_scalar("SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2").bind(given).fetch_all(&db).await?;

    // ---- Expected results ----

    assert!(first < second);
    assert_eq!(one, "second");
    let items = [
        Item { id: first, name: "first".into(), customer: Some(customer), related: Some(vec![first, second]) },
        Item { id: second, name: "second".into(), customer: None, related: None },
    ];
    assert_eq!(both, items);
    assert_eq!(text, "01AN4Z07BY79KA1307SR9X4MV3");
    assert!(checked.made > second && checked.same == first);
    assert_eq!(after, ["first", "second"]);
    assert_eq!(within, [("given".to_string(), DateTime::UNIX_EPOCH + TimeDelta::milliseconds(1465824320894))]);
    assert_eq!(page, ["first", "second"]);

    let code = |error: sqlx::Error| error.into_database_error().unwrap().code().unwrap().to_string();
    let bad = query("SELECT $1::text::ulid").bind("01AN4Z07BY79KA1307SR9X4MVU").execute(&db).await;
    assert_eq!(code(bad.unwrap_err()), "22P02");
    let nobody = query("INSERT INTO item (customer) VALUES ($1)").bind(first).execute(&db).await;
    assert_eq!(code(nobody.unwrap_err()), "23503");

    println!("SQLx");
    Ok(())
}
