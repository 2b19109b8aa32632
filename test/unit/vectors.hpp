// The conformance data: tab-separated files with a header line, in the text format of COPY. They
// are read from the directory that the environment variable VECTORS names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"

using Field = std::optional<std::string>;  // nothing: null

class Row {
 public:
  Row(const std::vector<std::string>& names, std::vector<Field> fields) {
    for (std::size_t i = 0; i < names.size(); ++i) fields_[names[i]] = fields.at(i);
  }

  const Field& field(const std::string& name) const { return fields_.at(name); }
  const std::string& operator[](const std::string& name) const { return field(name).value(); }
  std::int64_t integer(const std::string& name) const { return std::stoll((*this)[name]); }
  std::uint64_t natural(const std::string& name) const { return std::stoull((*this)[name]); }

 private:
  std::map<std::string, Field> fields_;
};

inline std::vector<Field> split_fields(const std::string& line) {
  std::vector<Field> fields{""};
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.push_back("");
    } else if (line[i] != '\\') {
      fields.back()->push_back(line[i]);
    } else {
      switch (line.at(++i)) {
        case 'N':
          fields.back().reset();
          break;
        case 't':
          fields.back()->push_back('\t');
          break;
        case 'n':
          fields.back()->push_back('\n');
          break;
        case 'r':
          fields.back()->push_back('\r');
          break;
        default:
          fields.back()->push_back(line[i]);
      }
    }
  }
  return fields;
}

inline std::vector<Row> read_vectors(const std::string& name) {
  const char* directory = std::getenv("VECTORS");
  const std::string path = std::string(directory ? directory : "test/vectors") + "/" + name;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> names;
  for (const Field& field : split_fields(line)) names.push_back(field.value());
  std::vector<Row> rows;
  while (std::getline(file, line)) rows.emplace_back(names, split_fields(line));
  if (rows.empty()) throw std::runtime_error("no rows in " + path);
  return rows;
}

// Bytes as lower case hexadecimal digits, and back.
template <class Container>
std::string to_hex(const Container& bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

inline std::vector<std::uint8_t> from_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}
