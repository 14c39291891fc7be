# SPDX-License-Identifier: Apache-2.0
"""Notes, with FastAPI, behind `keybound gateway`: server.py PORT"""

import sys
from urllib.parse import unquote

import uvicorn
from fastapi import FastAPI, Header, HTTPException

app = FastAPI()


@app.get("/notes")
def notes(subject: str = Header("-", alias="X-Keybound-Subject")):
    if subject == "-":  # compared before it is decoded
        raise HTTPException(401)
    return {"notes of": unquote(subject)}


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
