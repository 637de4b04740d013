/** What drivers of bare technologies need: the product’s base image, on the pool where the product’s disks are. */
export type Place = { imageRoot: string; diskDirectory: string; installation: string }

/** Where programs of the base image are; the product’s guest sets the same. */
export const imagePath = '/opt/python/bin:/opt/node/bin:/usr/local/bin:/usr/bin:/bin'
