export { ApiAudioUpload, type ApiAudioUploadOptions } from './api-audio-upload.ts'
