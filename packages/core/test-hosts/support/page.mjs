// The jobs in a page. The server of the page forwards /v1 to the service.
import { runJobs } from './jobs.mjs'

globalThis.jobs = runJobs({ apiKey: 'svc-test-key', baseUrl: location.origin })
