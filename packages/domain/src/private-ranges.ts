/**
 * IPv4 addresses that belong to no host on the internet: this network, private networks, shared address space
 * (Tailscale, carriers), loopback, link-local with the metadata services of clouds, protocol assignments, documentation
 * range 1, benchmarking, multicast, reserved and broadcast (RFC 6890); and Azure’s platform address, which is public
 * but reaches the same services in every network of Azure.
 */
export const privateIpv4Ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/**
 * Those of them in which the owner can let sandboxes reach single services: the private networks, and shared address
 * space, which overlay networks use.
 */
export const grantableIpv4Ranges = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'] as const

/**
 * The same for IPv6, with every range whose addresses contain an IPv4 address (mapped, NAT64, Teredo, 6to4): the
 * address does not show where they lead.
 */
export const privateIpv6Ranges = [
  '::/128',
  '::1/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const
