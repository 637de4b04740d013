import { openDirectoryStore } from './directory-store.ts'
import { storeAddressInvalid } from './object-store.errors.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3Store } from './s3-store.ts'

export type StoreAccess = { accessKeyId: string; secretAccessKey: string }

/** Opens the store at an address: a full path, or `s3+https://HOST/BUCKET/PREFIX?region=REGION`. */
export async function openStore(
  place: string,
  options: { outside: readonly string[]; access: StoreAccess },
): Promise<ObjectStore> {
  if (place.startsWith('/')) return await openDirectoryStore({ directory: place, outside: options.outside })
  const url = URL.canParse(place) ? new URL(place) : undefined
  if (url === undefined || !/^s3\+https?:$/.test(url.protocol) || url.username !== '')
    throw storeAddressInvalid({ place })
  const [bucket = '', ...rest] = url.pathname.split('/').filter((part) => part !== '')
  const isValid = [bucket, ...rest].every((part) => /^[a-z0-9][a-z0-9._-]*$/i.test(part)) && !bucket.includes('..')
  if (!isValid || bucket.length < 3 || bucket.length > 63) throw storeAddressInvalid({ place })
  return await openS3Store({
    endpoint: `${url.protocol.slice('s3+'.length)}//${url.host}`,
    bucket,
    prefix: rest.map((part) => `${part}/`).join(''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    ...options.access,
  })
}
