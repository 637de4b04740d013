import { hostSettings } from './host.ts'

const { installation, logLevel, namesUserId, namesGroupId } = hostSettings

/** Settings of the DNS process, which the host daemon sets when it starts it. */
export const namesSettings = { installation, logLevel, namesUserId, namesGroupId }
