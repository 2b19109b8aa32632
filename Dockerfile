# "docker build -t ids ." puts the extension on top of PostgreSQL's official image.
FROM postgres:18 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make g++ postgresql-server-dev-18
COPY . /ids
RUN make -C /ids install DESTDIR=/staged with_llvm=no

# "docker build --target volume -t ids-volume ." makes an extension volume for CloudNativePG.
FROM scratch AS volume
COPY --from=build /staged/usr/lib/postgresql/18/lib/ /lib/
COPY --from=build /staged/usr/share/postgresql/18/extension/ /share/extension/

FROM postgres:18
COPY --from=build /staged /
RUN echo 'CREATE EXTENSION ids;' > /docker-entrypoint-initdb.d/ids.sql
