-- ids with postgresql-simple. PGHOST, PGDATABASE ... say which server and database.
{-# LANGUAGE OverloadedStrings #-}

import Control.Exception (try)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as B
import Data.Time (UTCTime)
import Database.PostgreSQL.Simple
import Database.PostgreSQL.Simple.FromField
import Database.PostgreSQL.Simple.ToField
import Database.PostgreSQL.Simple.Types

-- ---- How to ----

-- A ulid, whose text the server reads and writes. The other types work alike.
newtype Ulid = Ulid ByteString deriving (Eq, Ord, Show)

instance FromField Ulid where
  fromField field value = do
    sqlType <- typename field
    case value of
      _ | sqlType /= "ulid" -> returnError Incompatible field ""
      Nothing -> returnError UnexpectedNull field ""
      Just text -> pure (Ulid text)

instance ToField Ulid where
  toField (Ulid text) = toField text

main :: IO ()
main = do
  db <- connectPostgreSQL ""
  _ <- execute_ db "CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)"
  _ <- execute_ db "CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])"

  -- The server makes the id; RETURNING fetches it.
  [Only customer] <- query_ db "INSERT INTO customer (name) VALUES ('Ada') RETURNING id" :: IO [Only Ulid]
  let insert = "INSERT INTO item (name, customer) VALUES (?, ?) RETURNING id"
  [Only first] <- query db insert ("first" :: ByteString, Just customer) :: IO [Only Ulid]
  [Only second] <- query db insert ("second" :: ByteString, Nothing :: Maybe Ulid) :: IO [Only Ulid]

  -- By id, and by several ids. An array in a comparison needs a cast, because it is written as ARRAY['...'].
  one <- query db "SELECT name FROM item WHERE id = ?" (Only second) :: IO [Only ByteString]
  _ <- execute db "UPDATE item SET related = ? WHERE id = ?" (PGArray [first, second], first)
  both <- query db "SELECT id, related, customer FROM item WHERE id = ANY (?::ulid[]) ORDER BY id" (Only (PGArray [second, first]))
  same <- query db "SELECT name FROM item WHERE id IN ? ORDER BY id" (Only (In [second, first])) :: IO [Only ByteString]
  relating <- query db "SELECT name FROM item WHERE ? = ANY (related)" (Only second) :: IO [Only ByteString]

  -- Many at once.
  _ <- executeMany db "INSERT INTO item (id, name) VALUES (?, ?)" [("01AN4Z07BY79KA1307SR9X4MV3", "given") :: (ByteString, ByteString)]

  -- The rows of a time range, and the page after an id.
  let june = read "2016-06-01 00:00:00Z" :: UTCTime
      july = read "2016-07-01 00:00:00Z" :: UTCTime
  after <- query db "SELECT name FROM item WHERE id >= ulid_first(?) ORDER BY id" (Only july) :: IO [Only ByteString]
  within <- query db "SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange(?, ?)" (june, july)
  page <- query db "SELECT name FROM item WHERE id > ? ORDER BY id LIMIT 1" (Only first) :: IO [Only ByteString]

  -- ---- Expected results ----

  expect "order" (first < second && let Ulid text = first in B.length text == 26)
  expect "one" (one == [Only "second"])
  expect "both" (both == [(first, Just (PGArray [first, second]), Just customer), (second, Nothing, Nothing)])
  expect "the same" (same == [Only "first", Only "second"])
  expect "relating" (relating == [Only "first"])
  expect "after" (after == [Only "first", Only "second"])
  expect "within" (within == [("given" :: ByteString, read "2016-06-13 13:25:20.894Z" :: UTCTime)])
  expect "page" (page == [Only "second"])
  bad <- try (query db "SELECT name FROM item WHERE id = ?" (Only (Ulid "01AN4Z07BY79KA1307SR9X4MVU"))) :: IO (Either SqlError [Only ByteString])
  expect "a bad id" (either sqlState (const "") bad == "22P02")
  nobody <- try (execute db "INSERT INTO item (customer) VALUES (?)" (Only first))
  expect "an unknown customer" (either sqlState (const "") nobody == "23503")
  putStrLn "postgresql-simple"

expect :: String -> Bool -> IO ()
expect what holds = unless holds (fail what)
