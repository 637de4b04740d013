/** A list of ids in the form in which tables store it. */
export function idsOf(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[])
}
