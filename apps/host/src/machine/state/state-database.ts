import { chmodSync, closeSync, openSync } from 'node:fs'
import { type OpenSqlite, openSqlite } from '@threadbox/sqlite'
import { Kysely } from 'kysely'
import type { StateTables } from './state.tables.ts'

/** Extended with every change of the tables; {@link openStateDatabase} updates older files. */
const migrations: readonly string[] = [
  `create table facts (name text primary key, value text not null) strict;
   create table sandboxes (
     sandboxId text primary key, imageId text not null, memoryBytes integer not null, cpus real not null,
     processes integer not null, diskBytes integer not null, egress text not null, address text not null unique,
     createdAt integer not null, isDeleting integer not null) strict;
   create table boots (
     bootId text primary key, sandboxId text not null references sandboxes (sandboxId) on delete cascade,
     state text not null, startedAt integer not null, hostname text not null, guestDirectory text not null,
     accessToken text not null, endedAt integer, endCause text, endDetail text) strict;
   create unique index boots_one_alive on boots (sandboxId) where state <> 'ended';
   create index boots_by_sandbox on boots (sandboxId, startedAt);`,
  `alter table sandboxes add column placeId text not null default '';
   update sandboxes set placeId = sandboxId;
   alter table sandboxes add column hostname text;
   alter table boots add column driverBootId text not null default '';
   update boots set driverBootId = bootId;
   create table spares (
     placeId text primary key, address text not null unique, imageId text not null, createdAt integer not null) strict;`,
  `create table memory_images (
     sandboxId text primary key references sandboxes (sandboxId) on delete cascade, imageId text not null unique,
     bootId text not null, phase text not null, driverVersion text not null, diskGeneration text,
     bytes integer not null, manifestProblem text not null, stallMs real not null, durationMs real not null,
     createdAt integer not null) strict;
   create table pause_points (
     sandboxId text primary key references sandboxes (sandboxId) on delete cascade, snapshotId text not null,
     at integer not null) strict;
   alter table boots add column diskRestoredFrom integer;`,
  `alter table sandboxes add column manifestKey text;`,
  `create table snapshots (
     snapshotId text primary key, sandboxId text not null references sandboxes (sandboxId) on delete cascade,
     phase text not null, at integer not null, writtenBytes integer not null) strict;
   create index snapshots_by_sandbox on snapshots (sandboxId, at);`,
  `create table forks (
     sandboxId text primary key references sandboxes (sandboxId) on delete cascade, sourceDriverBootId text) strict;`,
  `create table rewinds (
     sandboxId text primary key references sandboxes (sandboxId) on delete cascade, keepId text not null,
     keptId text not null, targetId text, phase text not null) strict;`,
  `create table snapshot_memories (
     snapshotId text primary key, sandboxId text not null references sandboxes (sandboxId) on delete cascade,
     phase text not null, driverBootId text not null, guestDirectory text not null, accessToken text not null,
     bytes integer not null) strict;
   alter table rewinds add column bootId text;
   alter table rewinds add column problem text not null default '';`,
  `create table virtual_names (
     address text primary key, name text not null unique, isListed integer not null, usedAt integer not null) strict;
   create index virtual_names_by_use on virtual_names (usedAt);`,
  `alter table sandboxes add column isArchived integer not null default 0;`,
]

/** Opens the host's own state. The file holds access tokens, so only root can read it. */
export function openStateDatabase(path: string): Kysely<StateTables> {
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const { connection, dialect } = openSqlite(path)
  migrate(connection)
  return new Kysely<StateTables>({ dialect })
}

function migrate(database: OpenSqlite['connection']): void {
  const present = Number(database.pragma('user_version', { simple: true }))
  migrations.slice(present).forEach((statements, index) => {
    database.transaction(() => {
      database.exec(statements)
      database.pragma(`user_version = ${present + index + 1}`)
    })()
  })
}
