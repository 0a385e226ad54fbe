/** The real digests: a fake one would let a test agree with a wrong constant. */
export { nodeDigest as digest } from '../../src/adapters/node-digest.ts'
