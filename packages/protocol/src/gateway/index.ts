export { makeHostApi as makeContractApi, type SendHostRequest as SendRequest } from '../host/contract-client.ts'
export { serveHostApi as serveContract } from '../host/contract-server.ts'
export * from './contract.ts'
export * from './gateway.errors.ts'
