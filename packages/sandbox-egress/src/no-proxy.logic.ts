/**
 * Whether a list of exceptions (`NO_PROXY`) has this name: itself, or a domain above it, with or without a dot or `*.`
 * before it. `*` is all names.
 */
export function isWithoutProxy(name: string, except: string): boolean {
  return except
    .split(',')
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .some((entry) => entry === '*' || (entry !== '' && (name === entry || name.endsWith(`.${entry}`))))
}
