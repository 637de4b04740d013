export type Violation = {
  rule: string
  /** The file that breaks it. */
  path: string
  message: string
}
