/**
 * The query of the address that the app was opened with, as it was written. The router rewrites what it reads (numbers
 * above all), and codes of other servers have to come through letter by letter.
 */
export const arrivedWith: string = location.search
