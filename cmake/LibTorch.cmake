message(FATAL_ERROR "to come")
