export * from './sandbox-network.ts'
