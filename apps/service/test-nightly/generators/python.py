"""The calls of a client that openapi-python-client made of GET /openapi.json. Environment: BASE, KEY, WAV."""
import json
import os
import time
import traceback
from io import BytesIO

from client import AuthenticatedClient
from client import models as m
from client.api.files import delete_file, list_files, upload_file
from client.api.models import list_models
from client.api.openai import create_openai_speech, create_openai_transcription
from client.api.speech import create_speech
from client.api.tasks import retrieve_task
from client.api.transcription import create_transcription
from client.api.voices import create_voice, list_voices
from client.types import File

base, key = os.environ['BASE'], os.environ['KEY']
with open(os.environ['WAV'], 'rb') as recording:
    wav = recording.read()
client = AuthenticatedClient(base_url=base, token=key, timeout=120)


def file():
    return File(payload=BytesIO(wav), file_name='a.wav', mime_type='audio/wav')


def check(name, call):
    try:
        result = call()
        print('ok' if result is True else 'NOT', name, '' if result is True else str(result)[:300])
    except Exception:
        print('NOT', name, traceback.format_exc(limit=-2)[-400:].replace('\n', ' | '))


def speech(**more):
    body = m.CreateSpeechBody(model='svc-tts-1.5-flash', input_='Hello.', voice_id='rms', **more)
    return create_speech.sync_detailed(client=client, body=body)


def task():
    created = json.loads(speech(async_=True).content)
    for _ in range(60):
        state = retrieve_task.sync(task_id=created['task_id'], client=client)
        if state.status.value in ('SUCCESS', 'FAILED'):
            return state.status.value == 'SUCCESS' and state.url.startswith('http')
        time.sleep(1)
    return 'the task did not end'


def transcription(**more):
    body = m.CreateTranscriptionBody(file=file(), **more)
    return create_transcription.sync_detailed(client=client, body=body)


def stored():
    created = upload_file.sync(client=client, body=m.UploadFileBody(file=file(), purpose='audio'))
    found = any(one.id == created.id for one in list_files.sync(client=client).data)
    return found and delete_file.sync(file_id=created.id, client=client).deleted


check('models', lambda: len(list_models.sync(client=client).data) > 3)
check('voices, two of them', lambda: len(list_voices.sync(client=client, limit=2).data) == 2)
check('speech as audio', lambda: len(speech().parsed.payload.read()) > 1000)
check('speech as a URL', lambda: json.loads(speech(delivery_method='url').content)['url'].startswith('http'))
check('speech as a task', task)
check('events of speech', lambda: b'speech.audio' in speech(stream=True, response_format='pcm', stream_format='sse').content)
check('transcription of a file', lambda: len(transcription(model='svc-transcribe-1.0').parsed.text) > 10)
check(
    'transcription with speakers and keyterms',
    lambda: len(transcription(model='svc-transcribe-diarize-pro', diarize=True, keyterms=['door', 'red box']).parsed.segments) > 0,
)
check('files', stored)
check('a new voice', lambda: bool(create_voice.sync(client=client, body=m.CreateVoiceBody(audio_sample=file(), name='x')).id))
openai_speech = m.CreateOpenaiSpeechBody(model='tts-1', input_='Hello.', voice='alloy')
check('speech of the OpenAI door', lambda: len(create_openai_speech.sync(client=client, body=openai_speech).payload.read()) > 500)
openai_form = m.CreateOpenaiTranscriptionBody(model='whisper-1', file=file())
check('transcription of the OpenAI door', lambda: len(create_openai_transcription.sync(client=client, body=openai_form).text) > 10)
unknown = m.CreateSpeechBody(model='x', input_='Hello.', voice_id='rms')
check('an error with its code', lambda: create_speech.sync(client=client, body=unknown).error.code == 'model_not_found')
