import { testStoreFaults } from './test-store-faults.ts'

testStoreFaults({ faultsPerMessage: Infinity })
