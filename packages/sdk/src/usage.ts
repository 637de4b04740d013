import type { UsageQuery, UsageReport, UsageReportQuery } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** What requests to models cost. */
export function usageCalls(connection: Connection) {
  return {
    report: (query: UsageReportQuery = {}, signal?: AbortSignal) =>
      connection.json<UsageReport>('GET', '/usage', { query, signal }),
    /** The address of a CSV file with one line for each request. */
    csvUrl: (query: UsageQuery = {}) => connection.url('/usage/csv', query),
  }
}
