export { type OpenSqlite, openSqlite, withoutDiskWait } from './open-sqlite.ts'
