import type { PrivateAddress } from '@threadbox/sdk'

/** The values of the form of a service in a private network. */
export type PrivateAddressForm = { name: string; port: string; range: string }

export const emptyPrivateAddress: PrivateAddressForm = { name: '', port: '443', range: '' }

/** A text that isn’t a port becomes port 0, which is refused. */
export function privateAddressOf({ name, port, range }: PrivateAddressForm): PrivateAddress {
  return { name: name.trim(), port: /^\s*\d{1,9}\s*$/.test(port) ? Number(port) : 0, range: range.trim() }
}

export function isSameAddress(one: PrivateAddress, other: PrivateAddress): boolean {
  return one.name === other.name && one.port === other.port && one.range === other.range
}

/** The field of the form that an error is about. */
export function fieldOfCode(code: string | undefined): keyof PrivateAddressForm | undefined {
  if (code === 'private-address.name-invalid') return 'name'
  if (code === 'private-address.port-invalid') return 'port'
  return code?.startsWith('private-address.range-') ? 'range' : undefined
}
