/** A list of ids as tables keep it. */
export function idsOf(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[])
}
