/**
 * One row per route of the API: a valid request, and the code for each of its ids when that is unknown. A route without
 * a row fails the test, so that every new route decides this.
 */
export type BadInputRow = {
  /** Values of the path; `own` ids exist and belong to the caller. */
  params?: Record<string, 'own' | { value: string }>
  /** For each id of the path: the code when it is unknown, and when it is another user's. */
  unknown?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** The body is bytes, not JSON. */
  isRaw?: true
  isPublic?: true
  /** The code for a user who isn't the owner. */
  ownerOnly?: string
  /** Its request ends the session that sends it. */
  endsLogin?: true
}
