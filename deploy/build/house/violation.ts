export type Violation = {
  rule: string
  /** The violating file. */
  path: string
  message: string
}
