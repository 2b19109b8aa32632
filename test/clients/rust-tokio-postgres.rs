// ids with tokio-postgres. PGHOST, PGDATABASE ... say which server and database.

use std::error::Error;
use std::time::{Duration, SystemTime};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};
use tokio_postgres::NoTls;

// ---- How to ----

// A ulid as its 16 bytes, because tokio-postgres sends and receives everything in binary, and accepts a String for text types only.
// The other types work alike, with 20, 10 and 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Ulid([u8; 16]);

impl<'a> FromSql<'a> for Ulid {
    fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Ulid(bytes.try_into()?))
    }

    fn accepts(r#type: &Type) -> bool {
        r#type.name() == "ulid"
    }
}

impl ToSql for Ulid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(r#type: &Type) -> bool {
        r#type.name() == "ulid"
    }

    tokio_postgres::types::to_sql_checked!();
}

// The server converts text: SELECT $1::text::ulid, and SELECT id::text.

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let env = |name| std::env::var(name).unwrap();
    let (client, connection) = tokio_postgres::Config::new()
        .host(&env("PGHOST"))
        .port(env("PGPORT").parse()?)
        .user(&env("PGUSER"))
        .password(env("PGPASSWORD"))
        .dbname(&env("PGDATABASE"))
        .connect(NoTls)
        .await?;
    let task = tokio::spawn(connection);
    client
        .batch_execute(
            "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
             CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])",
        )
        .await?;

    // The server makes the id; RETURNING fetches it.
    let customer: Ulid = client.query_one("INSERT INTO customer (name) VALUES ('Ada') RETURNING id", &[]).await?.get(0);
    let insert = client.prepare("INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id").await?;
    let first: Ulid = client.query_one(&insert, &[&"first", &customer]).await?.get(0);
    let second: Ulid = client.query_one(&insert, &[&"second", &None::<Ulid>]).await?.get(0);

    // By id, and by several ids.
    let one: String = client.query_one("SELECT name FROM item WHERE id = $1", &[&second]).await?.get(0);
    client.execute("UPDATE item SET related = $1 WHERE id = $2", &[&vec![first, second], &first]).await?;
    let both: Vec<(Ulid, Option<Vec<Ulid>>, Option<Ulid>)> = client
        .query("SELECT id, related, customer FROM item WHERE id = ANY ($1) ORDER BY id", &[&vec![second, first]])
        .await?
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();

    // As text.
    let given: Ulid = client.query_one("SELECT $1::text::ulid", &[&"01AN4Z07BY79KA1307SR9X4MV3"]).await?.get(0);
    let text: String = client.query_one("SELECT $1::ulid::text", &[&given]).await?.get(0);

    // Many at once, by COPY.
    let types = client.prepare("SELECT id, name, customer FROM item").await?;
    let types: Vec<Type> = types.columns().iter().map(|column| column.type_().clone()).collect();
    let sink = client.copy_in("COPY item (id, name, customer) FROM STDIN (FORMAT binary)").await?;
    let writer = BinaryCopyInWriter::new(sink, &types);
    tokio::pin!(writer);
    writer.as_mut().write(&[&given, &"copied", &customer]).await?;
    writer.finish().await?;

    // The rows of a time range, and the page after an id.
    let june = SystemTime::UNIX_EPOCH + Duration::from_secs(1464739200);
    let july = SystemTime::UNIX_EPOCH + Duration::from_secs(1467331200);
    let names = |rows: Vec<tokio_postgres::Row>| rows.iter().map(|row| row.get(0)).collect::<Vec<String>>();
    let after = names(client.query("SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", &[&july]).await?);
    let within = client.query_one("SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange($1, $2)", &[&june, &july]).await?;
    let page = names(client.query("SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2", &[&given]).await?);

    // ---- Expected results ----

    assert!(first < second);
    assert_eq!(one, "second");
    assert_eq!(both, [(first, Some(vec![first, second]), Some(customer)), (second, None, None)]);
    assert_eq!(text, "01AN4Z07BY79KA1307SR9X4MV3");
    assert_eq!(after, ["first", "second"]);
    assert_eq!(within.get::<_, String>(0), "copied");
    assert_eq!(within.get::<_, SystemTime>(1), SystemTime::UNIX_EPOCH + Duration::from_millis(1465824320894));
    assert_eq!(page, ["first", "second"]);

    let bad = client.query("SELECT $1::text::ulid", &[&"01AN4Z07BY79KA1307SR9X4MVU"]).await.unwrap_err();
    assert_eq!(bad.code().unwrap().code(), "22P02");
    let nobody = client.execute("INSERT INTO item (customer) VALUES ($1)", &[&first]).await.unwrap_err();
    assert_eq!(nobody.code().unwrap().code(), "23503");

    drop(client);
    task.await??;
    println!("tokio-postgres");
    Ok(())
}
