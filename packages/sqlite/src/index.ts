export { copySqlite } from './copy-sqlite.ts'
export { type OpenSqlite, openSqlite, withoutDiskWait } from './open-sqlite.ts'
