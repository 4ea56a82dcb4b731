import { S3_ODD_ANSWERS } from './s3-proxy.ts'
import { testStoreFaults } from './test-store-faults.ts'

testStoreFaults({ faultsPerMessage: S3_ODD_ANSWERS.length, faults: { postgres: [], s3: S3_ODD_ANSWERS } })
