export type Violation = {
  rule: string
  /** What stays the same while lines move: the files, without line numbers. */
  key: string
  message: string
}
