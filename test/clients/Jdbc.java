// ids with JDBC, by pgJDBC. PGHOST, PGDATABASE ... say which server and database.

import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

class Jdbc {
  // ---- How to ----

  // Send an id as a string with Types.OTHER, which leaves the type to the server; setString needs stringtype=unspecified in
  // the connection's properties. Send a time as an OffsetDateTime; a Timestamp has no type and needs a cast.
  static PreparedStatement prepare(Connection connection, String sql, Object... parameters) throws SQLException {
    var statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof String) statement.setObject(i + 1, parameters[i], Types.OTHER);
      else statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  // getString returns an id as a string. An array of ids consists of PGobjects, whose toString is the id.
  static List<String> strings(PreparedStatement statement) throws SQLException {
    var strings = new ArrayList<String>();
    var result = statement.executeQuery();
    while (result.next()) strings.add(result.getString(1));
    return strings;
  }

  static List<String> array(PreparedStatement statement) throws SQLException {
    var result = statement.executeQuery();
    result.next();
    return Stream.of((Object[]) result.getArray(1).getArray()).map(Object::toString).toList();
  }

  // Only for the binary format: the 16 bytes of a ulid, in a class that pgJDBC can send and receive.
  public static class Ulid extends PGobject implements PGBinaryObject {
    static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    final byte[] bytes = new byte[16];

    public Ulid() {
      setType("ulid");
    }

    public void setByteValue(byte[] source, int offset) {
      System.arraycopy(source, offset, bytes, 0, 16);
    }

    public int lengthInBytes() {
      return 16;
    }

    public void toBytes(byte[] target, int offset) {
      System.arraycopy(bytes, 0, target, offset, 16);
    }

    @Override
    public void setValue(String text) {
      var number = BigInteger.ZERO;
      for (char digit : text.toCharArray()) number = number.shiftLeft(5).add(BigInteger.valueOf(DIGITS.indexOf(digit)));
      for (int i = 0; i < 16; i++) bytes[i] = number.shiftRight(8 * (15 - i)).byteValue();
    }

    @Override
    public String getValue() {
      var number = new BigInteger(1, bytes);
      var text = new StringBuilder();
      for (int shift = 125; shift >= 0; shift -= 5) text.append(DIGITS.charAt(number.shiftRight(shift).intValue() & 31));
      return text.toString();
    }
  }

  // pgJDBC uses the binary format for the types in binaryTransferEnable, here from the first run of a statement.
  static Connection connectBinary(String url, Connection other) throws SQLException {
    var properties = new Properties();
    properties.put("binaryTransferEnable", strings(prepare(other, "SELECT 'ulid'::regtype::oid")).get(0));
    properties.put("prepareThreshold", "-1");
    var connection = DriverManager.getConnection(url, properties);
    connection.unwrap(PGConnection.class).addDataType("ulid", Ulid.class);
    return connection;
  }

  public static void main(String[] arguments) throws Exception {
    var env = System.getenv();
    var url = "jdbc:postgresql://%s:%s/%s?user=%s&password=%s".formatted(
        env.get("PGHOST"), env.get("PGPORT"), env.get("PGDATABASE"), env.get("PGUSER"), env.get("PGPASSWORD"));
    var connection = DriverManager.getConnection(url);
    prepare(connection, "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)").execute();
    prepare(connection, """
        CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])""").execute();

    // The server makes the id; RETURNING or getGeneratedKeys fetches it.
    var ada = strings(prepare(connection, "INSERT INTO customer (name) VALUES ('Ada') RETURNING id")).get(0);
    var first = strings(prepare(connection, "INSERT INTO item (name, customer) VALUES ('first', ?) RETURNING id", ada)).get(0);
    var insert = connection.prepareStatement("INSERT INTO item (name, customer) VALUES ('second', ?)", Statement.RETURN_GENERATED_KEYS);
    insert.setNull(1, Types.OTHER);
    insert.executeUpdate();
    var keys = insert.getGeneratedKeys();
    keys.next();
    var second = keys.getString("id");

    // By id, and by several ids.
    var one = strings(prepare(connection, "SELECT name FROM item WHERE id = ?", second));
    var ids = connection.createArrayOf("ulid", new String[] {first, second});
    prepare(connection, "UPDATE item SET related = ? WHERE id = ?", ids, first).execute();
    var both = strings(prepare(connection, "SELECT id FROM item WHERE id = ANY (?) ORDER BY id", ids));
    var customers = strings(prepare(connection, "SELECT customer FROM item ORDER BY id"));
    var related = array(prepare(connection, "SELECT related FROM item WHERE id = ?", first));
    var unspecified = DriverManager.getConnection(url + "&stringtype=unspecified");
    var byString = unspecified.prepareStatement("SELECT name FROM item WHERE id = ?");
    byString.setString(1, second);

    // The bytes of a library's own ULID, and a UUID: name the type, then cast it.
    var bytes = new BigInteger("015549f01d7e3a66a08c07ce13d25363", 16).toByteArray();
    var uuid = UUID.fromString("015549f0-1d7e-3a66-a08c-07ce13d25363");
    var cast = strings(prepare(connection, "SELECT ?::bytea::ulid UNION ALL SELECT ?::uuid::ulid", bytes, uuid));
    var back = prepare(connection, "SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid::bytea").executeQuery();
    back.next();

    // In binary.
    var binary = connectBinary(url, connection);
    var ulid = new Ulid();
    ulid.setValue(first);
    var byUlid = prepare(binary, "SELECT id FROM item WHERE id = ?", ulid).executeQuery();
    byUlid.next();
    var found = (Ulid) byUlid.getObject(1);

    // Many at once: a batch, or COPY.
    var batch = connection.prepareStatement("INSERT INTO item (name, customer) VALUES (?, ?)");
    for (var name : List.of("third", "fourth")) {
      batch.setString(1, name);
      batch.setObject(2, ada, Types.OTHER);
      batch.addBatch();
    }
    batch.executeBatch();
    var copy = connection.unwrap(PGConnection.class).getCopyAPI();
    copy.copyIn("COPY item (id, name) FROM STDIN", new StringReader("01AN4Z07BY79KA1307SR9X4MV3\tcopied\n"));
    var out = new StringWriter();
    copy.copyOut("COPY (SELECT id FROM item ORDER BY id) TO STDOUT", out);

    // The rows of a time range, and the page after an id.
    var june = OffsetDateTime.parse("2016-06-01T00:00:00Z");
    var july = OffsetDateTime.parse("2016-07-01T00:00:00Z");
    var after = strings(prepare(connection, "SELECT name FROM item WHERE id >= ulid_first(?) ORDER BY id", july));
    var within = prepare(connection, "SELECT id::timestamptz FROM item WHERE id <@ tstzrange(?, ?)", june, july).executeQuery();
    within.next();
    var time = within.getObject(1, OffsetDateTime.class);
    var page = strings(prepare(connection, "SELECT name FROM item WHERE id > ? ORDER BY id LIMIT 2", first));

    // ---- Expected results ----

    assert first.length() == 26 && first.compareTo(second) < 0;
    assert one.equals(List.of("second")) && strings(byString).equals(one);
    assert both.equals(List.of(first, second)) && related.equals(both);
    assert customers.equals(Arrays.asList(ada, null));
    assert cast.equals(List.of("01AN4Z07BY79KA1307SR9X4MV3", "01AN4Z07BY79KA1307SR9X4MV3"));
    assert Arrays.equals(back.getBytes(1), bytes);
    assert found.getValue().equals(first) && byUlid.getString(1).equals(first);
    assert out.toString().startsWith("01AN4Z07BY79KA1307SR9X4MV3\n%s\n%s\n".formatted(first, second));
    assert after.equals(List.of("first", "second", "third", "fourth"));
    assert page.equals(List.of("second", "third"));
    assert time.isEqual(OffsetDateTime.parse("2016-06-13T13:25:20.894Z")) && !within.next();

    for (var type : List.of("ulid", "scru160", "tbsl", "snowflake")) {
      var pair = array(prepare(connection, "SELECT ARRAY[gen_%s(), gen_%s()]".formatted(type, type)));
      assert array(prepare(connection, "SELECT ?", connection.createArrayOf(type, pair.toArray()))).equals(pair);
    }

    for (var given : List.of(bytes, uuid)) {
      try {
        strings(prepare(connection, "SELECT name FROM item WHERE id = ?", given));
        assert false : "an id needs no cast";
      } catch (SQLException error) {
        assert error.getSQLState().equals("42883");
      }
    }
    try {
      strings(prepare(connection, "SELECT name FROM item WHERE id = ?", "01AN4Z07BY79KA1307SR9X4MVU"));
      assert false : "an invalid id was accepted";
    } catch (SQLException error) {
      assert error.getSQLState().equals("22P02");
    }
    try {
      prepare(connection, "INSERT INTO item (customer) VALUES (?)", first).execute();
      assert false : "an unknown customer was accepted";
    } catch (SQLException error) {
      assert error.getSQLState().equals("23503");
    }

    System.out.println("pgJDBC " + connection.getMetaData().getDriverVersion());
  }
}
