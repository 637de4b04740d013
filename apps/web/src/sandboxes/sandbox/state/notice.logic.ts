export type NoticeParams = Readonly<Record<string, string | number>>
export type Folder = { path: string; bytes: number }

/** A number of a notice; undefined if it is missing or not a number. */
export function numberOf(params: NoticeParams, name: string): number | undefined {
  const value = params[name]
  const number = typeof value === 'number' ? value : Number(value === undefined || value === '' ? Number.NaN : value)
  return Number.isFinite(number) ? number : undefined
}

/** The largest folders that a notice names, from JSON. Empty for anything else. */
export function foldersOf(params: NoticeParams): Folder[] {
  try {
    const parsed: unknown = JSON.parse(String(params.folders ?? '[]'))
    return Array.isArray(parsed) ? parsed.filter(isFolder) : []
  } catch {
    return []
  }
}

function isFolder(value: unknown): value is Folder {
  if (typeof value !== 'object' || value === null) return false
  const { path, bytes } = value as Record<string, unknown>
  return typeof path === 'string' && typeof bytes === 'number'
}
