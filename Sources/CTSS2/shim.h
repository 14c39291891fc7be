// SPDX-License-Identifier: Apache-2.0
// Types only: the libraries are loaded at run time.
#pragma once
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>

// The types of the functions, so that what is looked up by name is called as the headers say.
#define KEYBOUND_FUNCTION(name) typedef __typeof__(&name) name##_Function;
KEYBOUND_FUNCTION(Tss2_TctiLdr_Initialize)
KEYBOUND_FUNCTION(Tss2_TctiLdr_Finalize)
KEYBOUND_FUNCTION(Esys_Initialize)
KEYBOUND_FUNCTION(Esys_Finalize)
KEYBOUND_FUNCTION(Esys_Free)
KEYBOUND_FUNCTION(Esys_GetCapability)
KEYBOUND_FUNCTION(Esys_CreatePrimary)
KEYBOUND_FUNCTION(Esys_Create)
KEYBOUND_FUNCTION(Esys_Load)
KEYBOUND_FUNCTION(Esys_Sign)
KEYBOUND_FUNCTION(Esys_Sign_Async)
KEYBOUND_FUNCTION(Esys_Sign_Finish)
KEYBOUND_FUNCTION(Esys_SetTimeout)
KEYBOUND_FUNCTION(Esys_Certify)
KEYBOUND_FUNCTION(Esys_ReadPublic)
KEYBOUND_FUNCTION(Esys_FlushContext)
KEYBOUND_FUNCTION(Esys_StartAuthSession)
KEYBOUND_FUNCTION(Esys_TRSess_SetAttributes)
KEYBOUND_FUNCTION(Esys_TR_FromTPMPublic)
KEYBOUND_FUNCTION(Esys_TR_GetName)
KEYBOUND_FUNCTION(Esys_TR_SetAuth)
