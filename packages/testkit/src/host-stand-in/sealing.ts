import { makeSealingKey } from '@threadbox/protocol/sealing'

/** With the private key, which a host leaves to its programs. */
export const standInKey = await makeSealingKey()
