import { expect, test } from 'vitest'
import * as adapter from '../src/adapter.ts'
import * as main from '../src/index.ts'

test('the main entry has the values that an application calls, and none of them is in the adapter entry', () => {
  expect(Object.keys(main).toSorted()).toEqual([
    'AudioGatewayError',
    'ClientDisconnectedError',
    'UploadError',
    'audioWebhooks',
    'discardUnread',
    'discardUpload',
    'disconnectSignal',
    'failureAnswer',
    'forwardAudio',
    'forwardUpload',
    'fromWebRequest',
    'logFailure',
    'playResult',
    'receiveUpload',
    'sendAudio',
    'sendEvents',
    'sendPcm',
    'speak',
    'streamUpload',
    'toGatewayError',
    'transcribeRequest',
    'transcribeRequestAsEvents',
    'transcribeRequestAsTask',
    'transcribeUpload',
  ])
  expect(Object.keys(adapter).filter((name) => name in main)).toEqual([])
})
