// ids with libpqxx. PGHOST, PGDATABASE ... say which server and database.

#include <iostream>
#include <pqxx/pqxx>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using Strings = std::vector<std::string>;

// ---- How to ----

// The first column of each row.
Strings column(pqxx::result const& rows) {
  Strings values;
  for (auto const& row : rows) values.push_back(row[0].as<std::string>());
  return values;
}

// An array is text, '{...}', which as_array() reads.
Strings elements(pqxx::field const& array) {
  Strings values;
  auto parser = array.as_array();
  using Parser = decltype(parser);
  for (auto [what, value] = parser.get_next(); what != Parser::juncture::done;
       std::tie(what, value) = parser.get_next())
    if (what == Parser::juncture::string_value) values.push_back(value);
  return values;
}

// An array as a parameter: ids need no quotes.
std::string array_of(Strings const& ids) {
  return "{" + pqxx::separated_list(",", ids.begin(), ids.end()) + "}";
}

void expect(bool met, char const* what) {
  if (!met) throw std::runtime_error{what};
}

int main() {
  pqxx::connection connection{""};
  pqxx::work work{connection};
  work.exec(R"(
    CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
    CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text,
                       customer ulid REFERENCES customer, related ulid[]))");

  // An id is a std::string. The server makes it, RETURNING fetches it.
  auto insert = [&work](char const* sql, auto const&... values) {
    return work.exec_params1(sql, values...)[0].template as<std::string>();
  };
  auto const ada = insert("INSERT INTO customer (name) VALUES ($1) RETURNING id", "Ada");
  auto const first =
      insert("INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id", "first", ada);
  auto const second = insert("INSERT INTO item (name, related) VALUES ($1, $2) RETURNING id",
                             "second", array_of({first}));
  work.exec_params0("INSERT INTO item (id, name) VALUES ($1, $2)", "01AN4Z07BY79KA1307SR9X4MV3",
                    "given");

  // By id, and by several ids; and the page after an id.
  auto const one =
      work.exec_params1("SELECT name, related, customer FROM item WHERE id = $1", second);
  auto const both = work.exec_params("SELECT name FROM item WHERE id = ANY ($1) ORDER BY id",
                                     array_of({second, first}));
  auto const page =
      work.exec_params("SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2", first);

  // The rows of a time range.
  char const *june = "2016-06-01 00:00:00Z", *july = "2016-07-01 00:00:00Z";
  auto const after =
      work.exec_params("SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", july);
  auto const within = work.exec_params(
      "SELECT name, extract(epoch FROM id::timestamptz) FROM item WHERE id <@ tstzrange($1, $2)",
      june, july);

  // ---- Expected results ----

  expect(first.size() == 26 && first < second, "ids");
  expect(one[0].as<std::string>() == "second" && elements(one[1]) == Strings{first} &&
             one[2].is_null(),
         "one");
  expect(column(both) == Strings{"first", "second"}, "both");
  expect(column(page) == Strings{"second"}, "page");
  expect(column(after) == Strings{"first", "second"}, "after");
  expect(column(within) == Strings{"given"} && within[0][1].as<double>() == 1465824320.894,
         "within");
  work.commit();

  try {
    pqxx::work{connection}.exec_params("SELECT FROM item WHERE id = $1",
                                       "01AN4Z07BY79KA1307SR9X4MVU");
    throw std::runtime_error{"an invalid id was accepted"};
  } catch (pqxx::data_exception const&) {
  }
  try {
    pqxx::work{connection}.exec_params("INSERT INTO item (customer) VALUES ($1)", first);
    throw std::runtime_error{"an unknown customer was accepted"};
  } catch (pqxx::foreign_key_violation const&) {
  }

  std::cout << "libpqxx " << PQXX_VERSION << "\n";
}
